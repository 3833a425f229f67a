// map/sprites.js - how one item looks. On the screen it is a copy of one small picture per colour and shape; on paper and in
// saved pictures it is drawn, and stays sharp at any size.
import { trace } from '../shapes.js';

const OUTLINE = { light: 'rgba(20, 24, 28, 0.55)', dark: 'rgba(255, 255, 255, 0.5)' };
const N_ACROSS = 64;

/** One item: its shape, or a ring if its value is missing. */
export function paintItem(context, { colouring, radius, theme }, index, left, top) {
    const line = Math.max(0.6, radius * 0.14);
    trace(context, colouring.shapes?.[index] ?? 'disc', left, top, radius - line / 2);
    if (index === colouring.missing) {
        context.lineWidth = Math.max(1, radius * 0.35);
        context.strokeStyle = colouring.palette[index];
        context.stroke();
        return;
    }
    context.fillStyle = colouring.palette[index];
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
        this.cell = Math.ceil(2.8 * look.radius) + 4; // the corners of some shapes reach beyond the radius
        this.sheet = document.createElement('canvas');
        this.sheet.width = this.cell * Math.min(N_ACROSS, n);
        this.sheet.height = this.cell * Math.ceil(n / N_ACROSS);
        const context = this.sheet.getContext('2d');
        for (let index = 0; index < n; index++) {
            const [left, top] = this.corner(index);
            paintItem(context, look, index, left + this.cell / 2, top + this.cell / 2);
        }
    }

    /** @param {Look} other */
    isFor({ colouring, radius, theme }) {
        return this.look.colouring === colouring && this.look.radius === radius && this.look.theme === theme;
    }

    corner(index) {
        return [(index % N_ACROSS) * this.cell, Math.floor(index / N_ACROSS) * this.cell];
    }

    draw(context, index, left, top) {
        const { cell } = this;
        const [x, y] = this.corner(index);
        const [toX, toY] = [Math.round(left - cell / 2), Math.round(top - cell / 2)];
        context.drawImage(this.sheet, x, y, cell, cell, toX, toY, cell, cell);
    }
}

export class Drawn {
    /** @param {Look} look */
    constructor(look) {
        this.look = look;
    }

    draw(context, index, left, top) {
        paintItem(context, this.look, index, left, top);
    }
}
