// Libraries without types of their own.
declare module 'd3-quadtree';
declare module 'd3-scale-chromatic';
declare module 'd3-selection';
declare module 'd3-zoom';
