// map/sprites.js - how one item looks. On the screen it is a copy of one small picture per colour; on paper it is drawn, and
// stays sharp at any size.

const OUTLINE = { light: 'rgba(20, 24, 28, 0.55)', dark: 'rgba(255, 255, 255, 0.5)' };
const N_ACROSS = 64;

/** One item as a disc, or as a ring if its value is missing. */
function paint(context, { colouring, radius, theme }, place, left, top) {
    const line = Math.max(0.6, radius * 0.14);
    context.beginPath();
    context.arc(left, top, radius - line / 2, 0, 2 * Math.PI);
    if (place === colouring.missing) {
        context.lineWidth = Math.max(1, radius * 0.35);
        context.strokeStyle = colouring.palette[place];
        context.stroke();
        return;
    }
    context.fillStyle = colouring.palette[place];
    context.fill();
    if (radius < 3 && colouring.kind !== 'own') return;
    context.lineWidth = line;
    context.strokeStyle = OUTLINE[theme];
    context.stroke();
}

/**
 * What draws items: a colouring, a radius in pixels of the screen, a theme.
 * @typedef {{colouring: import('../colours.js').Colouring, radius: number, theme: string}} Look
 */

export class Sprites {
    /** @param {Look} look */
    constructor(look) {
        this.look = look;
        const n = look.colouring.palette.length;
        this.cell = Math.ceil(2 * look.radius) + 4;
        this.sheet = document.createElement('canvas');
        this.sheet.width = this.cell * Math.min(N_ACROSS, n);
        this.sheet.height = this.cell * Math.ceil(n / N_ACROSS);
        const context = this.sheet.getContext('2d');
        for (let place = 0; place < n; place++) {
            const [left, top] = this.corner(place);
            paint(context, look, place, left + this.cell / 2, top + this.cell / 2);
        }
    }

    /** @param {Look} other */
    isFor({ colouring, radius, theme }) {
        return this.look.colouring === colouring && this.look.radius === radius && this.look.theme === theme;
    }

    corner(place) {
        return [(place % N_ACROSS) * this.cell, Math.floor(place / N_ACROSS) * this.cell];
    }

    draw(context, place, left, top) {
        const { cell } = this;
        const [x, y] = this.corner(place);
        const [toX, toY] = [Math.round(left - cell / 2), Math.round(top - cell / 2)];
        context.drawImage(this.sheet, x, y, cell, cell, toX, toY, cell, cell);
    }
}

export class Discs {
    /** @param {Look} look */
    constructor(look) {
        this.look = look;
    }

    draw(context, place, left, top) {
        paint(context, this.look, place, left, top);
    }
}
