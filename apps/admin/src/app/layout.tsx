import './globals.css';

import type { Metadata, Viewport } from 'next';
import { cookies } from 'next/headers';
import type { ReactNode } from 'react';

import { Providers } from '../api/provider';
import { viewerLocale } from '../format/locale';
import { THEME_COOKIE, themeOf } from '../shell/theme';

export const metadata: Metadata = {
  title: { default: 'Tollgate', template: '%s · Tollgate' },
  description: 'Console of the LLM gateway whose limits hold',
  robots: { index: false, follow: false },
};

export const viewport: Viewport = { colorScheme: 'light dark' };

export default async function RootLayout({ children }: { children: ReactNode }) {
  // Reading a cookie makes every page dynamic. A page built in advance would have no nonce.
  const theme = themeOf((await cookies()).get(THEME_COOKIE)?.value);
  return (
    <html lang="en" data-theme={theme} data-locale={viewerLocale()}>
      <body>
        <Providers>{children}</Providers>
      </body>
    </html>
  );
}
