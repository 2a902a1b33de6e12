'use client';

import './globals.css';
import ErrorPage from './error';

/** When even the layout fails. */
export default function GlobalError({ error }: { error: Error & { digest?: string } }) {
  return (
    <html lang="en">
      <body>
        <ErrorPage error={error} />
      </body>
    </html>
  );
}
