import { createContext, createElement, type ReactElement, type ReactNode, useContext } from 'react';

const BaseUrl = createContext<string | undefined>(undefined);

/** Says where your Holdfast is, for every `useExecution` below. */
export function HoldfastProvider(props: { baseUrl: string; children?: ReactNode }): ReactElement {
  return createElement(BaseUrl.Provider, { value: props.baseUrl }, props.children);
}

/** The URL of the caller, of a provider, or of the page; undefined on a server, where nothing is read. */
export function useBaseUrl(given: string | undefined): string | undefined {
  const provided = useContext(BaseUrl);
  return given ?? provided ?? (globalThis as { location?: { origin?: string } }).location?.origin;
}
