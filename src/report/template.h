/* template.h - the page without its data, as page/ made it; built into the program. */
#ifndef SM_REPORT_TEMPLATE_H
#define SM_REPORT_TEMPLATE_H

/* The page up to where the data go, and from there on: all but the mark that stands in their place. */
extern const char sm_template[], sm_template_end[];

#define SM_TEMPLATE_MARK "/*DATA*/"

#endif
