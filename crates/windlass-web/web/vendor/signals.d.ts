export interface Signal<T> {
  value: T;
  peek(): T;
}
export function signal<T>(value: T): Signal<T>;
export function computed<T>(make: () => T): { readonly value: T };
export function effect(work: () => void): () => void;
export function batch<T>(work: () => T): T;
