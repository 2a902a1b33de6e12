import { useSyncExternalStore } from 'react';

/** Whether the page's script runs. Before it does, the browser itself would send a form. */
export function useReady(): boolean {
  return useSyncExternalStore(subscribe, inBrowser, onServer);
}

const nothing = (): void => undefined;
const subscribe = () => nothing;
const inBrowser = () => true;
const onServer = () => false;
