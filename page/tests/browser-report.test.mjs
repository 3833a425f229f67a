// Any report, as `smerf report` wrote it: REPORT=path/to/report.html node --test tests/browser-report.test.mjs
import assert from 'node:assert/strict';
import { basename, resolve } from 'node:path';
import test from 'node:test';
import { goToMap, keepPicture, nColours, open, startBrowser } from './browser.mjs';

const path = process.env.REPORT && resolve(process.env.REPORT);
const name = path && basename(path, '.html');

test('a given report works', { skip: !path && 'no REPORT' }, async () => {
    const browser = await startBrowser();
    try {
        for (const [theme, width] of [
            ['light', 1280],
            ['dark', 1280],
            ['light', 390],
        ]) {
            // prettier-ignore
            const page = await open(browser, path, { theme, width });
            const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            assert.ok(overflow <= 0, `${overflow} pixels too wide`);
            await keepPicture(page, `report-${name}-${theme}-${width}`, { fullPage: true });
            if (await page.locator('.map-view').count()) await useMap(page, `report-${name}-${theme}-${width}-pair`);
            await page.finish();
        }
    } finally {
        await browser.close();
    }
});

/** Selects the first item, and then its nearest. */
async function useMap(page, picture) {
    const id = await page.evaluate(() => JSON.parse(document.getElementById('report-data').textContent).items.ids[0]);
    await goToMap(page);
    assert.ok((await nColours(page, 'canvas.items')) > 0);
    await page.fill('#search', id);
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('.panel h3').first().textContent(), id);
    const neighbors = page.locator('.neighbors button');
    if ((await neighbors.count()) > 0) await neighbors.first().click();
    await keepPicture(page, picture);
}
