// svg.js - a pen that writes SVG where a canvas is expected, so that one code draws the screen and the saved picture.

const round = (value) => String(Math.round(value * 100) / 100);
const escape = (text) =>
    String(text).replace(/[&<>"]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[letter]);

/** What XML cannot hold at all would make the whole picture unreadable. */
export const xmlText = (text) => escape([...String(text)].filter(isXmlLetter).join(''));

function isXmlLetter(letter) {
    const code = letter.codePointAt(0);
    return (
        [0x9, 0xa, 0xd].includes(code) ||
        (code >= 0x20 && code < 0xd800) ||
        (code > 0xdfff && code !== 0xfffe && code !== 0xffff)
    );
}

/** The part of CanvasRenderingContext2D that this page draws with. Arcs are whole circles. */
export class SvgPen {
    constructor() {
        this.parts = [];
        this.d = '';
        this.dash = [];
        this.globalAlpha = 1;
        this.lineWidth = 1;
        this.fillStyle = this.strokeStyle = '#000000';
        this.font = '12px sans-serif';
        this.textAlign = 'start';
        this.textBaseline = 'alphabetic';
        this.lineJoin = 'miter';
    }

    beginPath() {
        this.d = '';
    }
    moveTo(x, y) {
        this.d += `M${round(x)} ${round(y)}`;
    }
    lineTo(x, y) {
        this.d += `L${round(x)} ${round(y)}`;
    }
    closePath() {
        this.d += 'Z';
    }
    arc(x, y, radius) {
        const r = round(radius);
        this.d += `M${round(x - radius)} ${round(y)}a${r} ${r} 0 1 0 ${round(2 * radius)} 0a${r} ${r} 0 1 0 ${round(-2 * radius)} 0Z`;
    }
    rect(x, y, width, height) {
        this.d += `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}Z`;
    }

    fill() {
        this.parts.push(`<path d="${this.d}" fill="${escape(this.fillStyle)}"${this.alpha()}/>`);
    }
    stroke() {
        this.parts.push(`<path d="${this.d}" fill="none" ${this.line()}${this.alpha()}/>`);
    }
    fillRect(x, y, width, height) {
        this.beginPath();
        this.rect(x, y, width, height);
        this.fill();
    }
    fillText(text, x, y) {
        this.parts.push(this.text(text, x, y, `fill="${escape(this.fillStyle)}"`));
    }
    strokeText(text, x, y) {
        this.parts.push(this.text(text, x, y, `fill="none" ${this.line()}`));
    }
    setLineDash(dash) {
        this.dash = dash;
    }
    measureText(text) {
        measuring ??= document.createElement('canvas').getContext('2d');
        measuring.font = this.font;
        return measuring.measureText(text);
    }
    /** Pixels as pixels, however large they are drawn. */
    drawPixels(canvas, x, y, width, height) {
        this.parts.push(
            `<image x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" preserveAspectRatio="none" style="image-rendering:pixelated" href="${canvas.toDataURL()}"/>`,
        );
    }
    /** Another picture, from its own corner. */
    drawSvg(markup, x, y) {
        this.parts.push(`<g transform="translate(${round(x)} ${round(y)})">${markup}</g>`);
    }

    alpha() {
        return this.globalAlpha < 1 ? ` opacity="${round(this.globalAlpha)}"` : '';
    }
    line() {
        const dash = this.dash.length > 0 ? ` stroke-dasharray="${this.dash.map(round).join(' ')}"` : '';
        return `stroke="${escape(this.strokeStyle)}" stroke-width="${round(this.lineWidth)}" stroke-linejoin="${this.lineJoin}"${dash}`;
    }
    text(text, x, y, paint) {
        const anchor = { center: 'middle', right: 'end', end: 'end' }[this.textAlign] ?? 'start';
        const down = this.textBaseline === 'middle' ? ' dy="0.35em"' : ''; // not every reader of SVG knows dominant-baseline
        return `<text x="${round(x)}" y="${round(y)}"${down} text-anchor="${anchor}" style="font:${escape(this.font)};white-space:pre" ${paint}${this.alpha()}>${xmlText(text)}</text>`;
    }

    /** The whole picture. */
    markup(width, height) {
        const size = `width="${round(width)}" height="${round(height)}" viewBox="0 0 ${round(width)} ${round(height)}"`;
        return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>\n${this.parts.join('\n')}\n</svg>\n`;
    }
}

let measuring = null;
