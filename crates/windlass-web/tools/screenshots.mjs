// Every page of a project that an agent is working on, in light and dark, at 1,280 and 390 pixels, to look at:
// `node tools/screenshots.mjs FOLDER [PAGE…]`, such as board or task-blocked. WINDLASS and WINDLASS_CLIENTS are those of the tests.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { launch, logIn } from "../tests/browser/browser.mjs";
import { busy } from "../tests/browser/busy.mjs";

const [folder = "screenshots", ...only] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const [browser, { project, pages }] = await Promise.all([launch(), busy()]);
try {
  for (const [colorScheme, width] of [["light", 1280], ["dark", 1280], ["light", 390], ["dark", 390]]) {
    const page = await logIn(browser, project, { colorScheme, viewport: { width, height: 844 } });
    for (const [name, path] of Object.entries(pages)) {
      if (only.length && !only.includes(name)) continue;
      await page.goto(`${project.url}/#/${path}`);
      await page.locator("main h1, main .empty").first().waitFor();
      await page.locator("main .skeleton").first().waitFor({ state: "detached" });
      await page.waitForTimeout(600);
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    }
    await page.context().close();
  }
} finally {
  await browser.close();
  project.end();
}
