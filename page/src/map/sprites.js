// map/sprites.js - one small picture of an item per colour, to be copied many times.

const OUTLINE = { light: 'rgba(20, 24, 28, 0.55)', dark: 'rgba(255, 255, 255, 0.5)' };
const N_ACROSS = 64;

export class Sprites {
    /**
     * @param {import('../colours.js').Colouring} colouring
     * @param {number} radius in pixels of the screen
     */
    constructor(colouring, radius, theme) {
        this.cell = Math.ceil(2 * radius) + 4;
        this.sheet = document.createElement('canvas');
        this.sheet.width = this.cell * Math.min(N_ACROSS, colouring.palette.length);
        this.sheet.height = this.cell * Math.ceil(colouring.palette.length / N_ACROSS);
        const context = this.sheet.getContext('2d');
        const line = Math.max(0.6, radius * 0.14);
        colouring.palette.forEach((colour, place) => {
            const [left, top] = this.corner(place);
            context.beginPath();
            context.arc(left + this.cell / 2, top + this.cell / 2, radius - line / 2, 0, 2 * Math.PI);
            if (place === colouring.missing) {
                context.lineWidth = Math.max(1, radius * 0.35);
                context.strokeStyle = colour;
                context.stroke();
                return;
            }
            context.fillStyle = colour;
            context.fill();
            if (radius < 3 && colouring.kind !== 'own') return;
            context.lineWidth = line;
            context.strokeStyle = OUTLINE[theme];
            context.stroke();
        });
    }

    corner(place) {
        return [(place % N_ACROSS) * this.cell, Math.floor(place / N_ACROSS) * this.cell];
    }

    draw(context, place, left, top) {
        const [x, y] = this.corner(place);
        const { cell } = this;
        context.drawImage(
            this.sheet,
            x,
            y,
            cell,
            cell,
            Math.round(left - cell / 2),
            Math.round(top - cell / 2),
            cell,
            cell,
        );
    }
}
