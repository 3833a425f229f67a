/* picture.c - draws unseen colours and their neighbours as SVG: see picture.h. */
#include "demo/picture.h"

enum { ROW = 26, SWATCH = 40, LEFT = 190, GROUP = 250, TOP = 70 };

static const char *const headings[] = {"nearest to people's eyes (CIEDE2000)", "learned by smerf",
                                       "plain distance in RGB"};

void picture_start(sm_output *output, size_t n_rows, size_t n_neighbours) {
    size_t width = LEFT + 3 * GROUP, height = TOP + n_rows * ROW + 20;
    sm_output_print(output,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" font-family=\"sans-serif\" "
                    "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                    width, height);
    sm_output_print(output,
                    "<text x=\"16\" y=\"28\" font-size=\"16\">%zu unseen colours and their %zu nearest</text>\n",
                    n_rows, n_neighbours);
    for (int way = 0; way < 3; way++)
        sm_output_print(output, "<text x=\"%d\" y=\"%d\">%s</text>\n", LEFT + way * GROUP, TOP - 12, headings[way]);
}

void picture_name(sm_output *output, size_t row, const css_colour *colour) {
    size_t y = TOP + row * ROW;
    sm_output_print(output,
                    "<rect x=\"16\" y=\"%zu\" width=\"32\" height=\"%d\" fill=\"rgb(%d,%d,%d)\" stroke=\"#bbb\"/>\n", y,
                    ROW - 4, colour->red, colour->green, colour->blue);
    sm_output_print(output, "<text x=\"56\" y=\"%zu\">%s</text>\n", y + 16, colour->name);
}

void picture_swatch(sm_output *output, size_t row, size_t way, size_t place, const css_colour *colour) {
    sm_output_print(output,
                    "<rect x=\"%zu\" y=\"%zu\" width=\"%d\" height=\"%d\" fill=\"rgb(%d,%d,%d)\" stroke=\"#bbb\">"
                    "<title>%s</title></rect>\n",
                    LEFT + way * GROUP + place * (SWATCH + 4), TOP + row * ROW, SWATCH, ROW - 4, colour->red,
                    colour->green, colour->blue, colour->name);
}

void picture_end(sm_output *output) { sm_output_print(output, "</svg>\n"); }
