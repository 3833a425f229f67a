// browser.mjs - a page in headless Chromium, with everything that must not happen written down: console errors, requests, dialogs.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

export const ARTEFACTS = join(dirname(fileURLToPath(import.meta.url)), 'artefacts');

export function startBrowser() {
    const executablePath = process.env.CHROMIUM ?? execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim();
    return chromium.launch({
        executablePath,
        args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
}

/** Opens a file from disk. `page.finish()` asserts that nothing went wrong. */
export async function open(browser, path, { width = 1280, height = 900, theme = 'light', hasTouch = false } = {}) {
    const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: theme,
        hasTouch,
        offline: true,
    });
    const page = await context.newPage();
    const wrong = [];
    const url = pathToFileURL(path).href;
    page.on(
        'console',
        (message) => ['error', 'warning'].includes(message.type()) && wrong.push(`console: ${message.text()}`),
    );
    page.on('pageerror', (error) => wrong.push(`error: ${error.message}`));
    page.on('request', (request) => request.url().split('#')[0] !== url && wrong.push(`request: ${request.url()}`));
    page.on('dialog', (dialog) => {
        wrong.push(`dialog: ${dialog.message()}`);
        dialog.dismiss();
    });
    await page.goto(url);
    await page.waitForSelector('main section');
    await settle(page);
    page.finish = async () => {
        await settle(page);
        assert.deepEqual(wrong, []);
        await context.close();
    };
    return page;
}

/** Until what was asked for is drawn. */
export const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))); // prettier-ignore

export async function keepPicture(page, name, options = {}) {
    mkdirSync(ARTEFACTS, { recursive: true });
    await settle(page);
    await page.screenshot({ path: join(ARTEFACTS, `${name}.png`), ...options });
}

/** Brings the map to the top of the window and gives its box. */
export async function goToMap(page) {
    await page.evaluate(() => document.querySelector('.controls').scrollIntoView({ block: 'start' }));
    await page.evaluate(() => scrollBy(0, -70));
    await settle(page);
    return page.locator('.map-view').boundingBox();
}

/** Where the map draws something that is no ground: the first such place in a grid, for a mouse to go to. */
export function placesOfItems(page) {
    return page.evaluate(() => {
        const canvas = document.querySelector('canvas.items');
        const { width, height } = canvas;
        const copy = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d');
        copy.drawImage(canvas, 0, 0);
        const { data } = copy.getImageData(0, 0, width, height);
        const ratio = width / canvas.clientWidth;
        const found = [];
        for (let top = 0; top < height; top += 3) {
            for (let left = 0; left < width; left += 3) {
                if (data[4 * (top * width + left) + 3] > 200) found.push([left / ratio, top / ratio]);
            }
        }
        return found;
    });
}

/** What the map tells of the item at a place. A busy browser shows the tip of the place before until it has drawn. */
export async function tipAt(page, box, [left, top]) {
    await page.mouse.move(box.x + left, box.y + top);
    await settle(page);
    return page.locator('.tip').innerText();
}

/** How many different colours a canvas shows, to tell a picture from an empty frame. */
export function nColours(page, selector) {
    return page.evaluate((wanted) => {
        const canvas = document.querySelector(wanted);
        const { width, height } = canvas;
        const copy = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d');
        copy.drawImage(canvas, 0, 0);
        const { data } = copy.getImageData(0, 0, width, height);
        const seen = new Set();
        for (let p = 0; p < data.length; p += 4)
            if (data[p + 3] > 0) seen.add((data[p] << 16) | (data[p + 1] << 8) | data[p + 2]);
        return seen.size;
    }, selector);
}
