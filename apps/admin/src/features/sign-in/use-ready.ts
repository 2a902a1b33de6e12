import { useSyncExternalStore } from 'react';

/** Whether the page is hydrated. Before that the browser itself would submit a form. */
export function useReady(): boolean {
  return useSyncExternalStore(subscribe, inBrowser, onServer);
}

const nothing = (): void => undefined;
const subscribe = () => nothing;
const inBrowser = () => true;
const onServer = () => false;
