// main.js - reads what the report holds and builds the page. Everything else hangs on the store (store.js).
import { Report } from './data.js';
import { fill, h } from './dom.js';
import { firstColouring } from './colours.js';
import { redrawPictures } from './charts/figure.js';
import { nameDownloads } from './download.js';
import { FEW_IDS } from './map/labels.js';
import { buildSections } from './sections.js';
import { howWell, whatWasLearned } from './sentences.js';
import { Store } from './store.js';
import { followTheme, themeButton } from './theme.js';

function start() {
    const place = document.getElementById('page');
    try {
        const report = new Report(JSON.parse(document.getElementById('report-data').textContent));
        build(place, report);
    } catch (error) {
        fill(place, h('p', { class: 'plain', role: 'alert' }, `This report cannot be shown: ${error.message}.`));
        throw error;
    }
}

/** @param {Report} report */
function build(place, report) {
    const store = new Store({
        first: null,
        second: null,
        pointed: null,
        colouring: firstColouring(report),
        labelling: FEW_IDS,
        isolated: null,
        theme: 'light',
        isPrinting: false,
    });
    followTheme(store);
    nameDownloads(report.raw.title);
    document.title = `${report.raw.title} \u2013 smerf report`;
    const sections = buildSections(report, store);
    const contents = h(
        'nav',
        { 'aria-label': 'Sections' },
        h(
            'ul',
            null,
            ...sections
                .filter(({ short }) => short !== '')
                .map(({ id, short }) => h('li', null, h('a', { href: `#${id}` }, short))),
        ),
        themeButton(store),
    );
    fill(
        place,
        h(
            'header',
            null,
            h('p', { class: 'kicker' }, 'smerf report'),
            h('h1', null, report.raw.title),
            h(
                'p',
                { class: 'abstract' },
                [whatWasLearned(report.raw.model), howWell(report.raw.scores, report.raw.model.target)]
                    .filter(Boolean)
                    .join(' '),
            ),
        ),
        contents,
        h('main', { id: 'main', tabindex: '-1' }, ...sections.map(({ element }) => element)),
        h(
            'footer',
            null,
            `Made by smerf ${report.raw.smerf}. This file holds all its data and works without a network.`,
        ),
    );
    store.watch((_, changed) => changed('theme') && redrawPictures());
}

if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start);
else start();
