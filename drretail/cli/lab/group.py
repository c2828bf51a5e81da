"""``drretail lab``: is the judge any good?"""

import typer

from drretail.cli.lab.agree import agree
from drretail.cli.lab.bias import bias
from drretail.cli.lab.calibrate import calibrate
from drretail.cli.lab.card import card
from drretail.cli.lab.correct import correct, sample
from drretail.cli.lab.exploits import exploits
from drretail.cli.lab.failures import failures
from drretail.cli.lab.memory import memory
from drretail.cli.lab.plant import plant

lab_app = typer.Typer(no_args_is_help=True, help="Is the judge any good?")

lab_app.command("card")(card)
lab_app.command("sample")(sample)
lab_app.command("correct")(correct)
lab_app.command("agree")(agree)
lab_app.command("calibrate")(calibrate)
lab_app.command("failures")(failures)
lab_app.command("plant")(plant)
lab_app.command("exploits")(exploits)
lab_app.command("memory")(memory)
lab_app.command("bias")(bias)
