import type { ReactNode } from 'react';

import { CatalogWatch } from './catalog-watch';
import { PaletteProvider } from './palette/palette-provider';
import { ScopeProvider, type ScopeValue } from './scope';
import { Sidebar } from './sidebar';

/** The frame of every signed-in page. */
export function Shell({ scope, children }: { scope: ScopeValue; children: ReactNode }) {
  return (
    <ScopeProvider value={scope}>
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
      >
        Skip to the content
      </a>
      <PaletteProvider>
        <div className="min-h-dvh lg:flex">
          <Sidebar />
          <main
            id="content"
            tabIndex={-1}
            className="min-w-0 flex-1 outline-none lg:has-[[data-fill]]:flex lg:has-[[data-fill]]:h-dvh lg:has-[[data-fill]]:flex-col"
          >
            <CatalogWatch />
            {children}
          </main>
        </div>
      </PaletteProvider>
    </ScopeProvider>
  );
}
