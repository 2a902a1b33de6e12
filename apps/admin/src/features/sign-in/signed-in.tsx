'use client';

import { useEffect } from 'react';
import { PublicPage } from '../../shell/public-page';

/** Signed in elsewhere: goes on from here, so that the browser brings the session along. */
export function SignedIn({ next }: { next: string }) {
  useEffect(() => location.replace(next), [next]);
  return (
    <PublicPage title="You are signed in" description="The console opens in a moment.">
      {/* A full load, not the router's: nothing of an earlier user is left in memory. */}
      <a href={next} className="text-accent underline-offset-4 hover:underline">
        Continue to the console
      </a>
    </PublicPage>
  );
}
