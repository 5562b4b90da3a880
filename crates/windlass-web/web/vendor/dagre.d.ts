export class Graph {
  setGraph(label: any): void;
  setDefaultEdgeLabel(make: () => any): void;
  setNode(id: string, label: any): void;
  setEdge(from: string, to: string): void;
  node(id: string): { x: number; y: number; width: number; height: number };
}
export function layout(graph: Graph): void;
