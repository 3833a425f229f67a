// theme.js - light or dark: as the reader's system says, until the button is pressed; always light on paper.
import { h } from './dom.js';

/** @param {import('./store.js').Store} store */
export function followTheme(store) {
    const system = matchMedia('(prefers-color-scheme: dark)');
    store.set({ theme: system.matches ? 'dark' : 'light' });
    const show = () => (document.documentElement.dataset.theme = store.now.theme);
    store.watch((_, changed) => changed('theme') && show());
    show();
    system.addEventListener('change', (event) => store.set({ theme: event.matches ? 'dark' : 'light' }));

    let onScreen = null;
    window.addEventListener('beforeprint', () => {
        onScreen = store.now.theme;
        store.set({ theme: 'light', isPrinting: true });
    });
    window.addEventListener('afterprint', () => {
        store.set({ theme: onScreen ?? store.now.theme, isPrinting: false });
        onScreen = null;
    });
}

/** @param {import('./store.js').Store} store */
export function themeButton(store) {
    const button = h('button', {
        type: 'button',
        class: 'theme',
        onclick: () => store.set({ theme: store.now.theme === 'dark' ? 'light' : 'dark' }),
    });
    const show = () => {
        button.textContent = store.now.theme === 'dark' ? 'Light' : 'Dark';
        button.setAttribute('aria-label', `Switch to the ${store.now.theme === 'dark' ? 'light' : 'dark'} theme`);
    };
    store.watch((_, changed) => changed('theme') && show());
    show();
    return button;
}
