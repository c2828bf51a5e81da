"""The sentences that code puts where something was taken out of a report."""

LEFT_OUT = "*A recommendation that stood here was left out; the end of this report says why.*"
SECTION_LEFT_OUT = "*A section that stood here was left out; the end of this report says why.*"
NOTES = (LEFT_OUT, SECTION_LEFT_OUT)
