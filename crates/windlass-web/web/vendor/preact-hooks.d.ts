export function useEffect(work: () => void | (() => void), deps?: readonly unknown[]): void;
export function useLayoutEffect(work: () => void | (() => void), deps?: readonly unknown[]): void;
export function useMemo<T>(make: () => T, deps: readonly unknown[]): T;
export function useCallback<T extends Function>(callback: T, deps: readonly unknown[]): T;
export function useRef<T>(value: T): { current: T };
export function useState<T>(value: T | (() => T)): [T, (next: T | ((old: T) => T)) => void];
