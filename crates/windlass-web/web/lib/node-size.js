// How large a task is in the graph, for the drawing and for the worker that lays it out.

export const NODE = { width: 190, height: 42 };
