"use strict";
// The page itself, packed: it takes the place of this one, and its links and their places stay as they are.
(async function () {
  const bytes = Uint8Array.from(atob(document.getElementById("packed").textContent), (sign) => sign.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const page = await new Response(unpacked).text();
  document.open();
  document.write(page);
  document.close();
})();
