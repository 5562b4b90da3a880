export type VNode = any;
export const h: (type: any, props: any, ...children: any[]) => VNode;
export const Fragment: any;
export function render(node: VNode, place: Element): void;
export class Component<P = any, S = any> {
  constructor(props: P);
  props: P;
  state: S;
  setState(change: Partial<S>): void;
  render(): any;
}
