'use client';

import { useEffect } from 'react';

import { PublicPage } from '../../shell/public-page';

/**
 * After single sign-on, navigates from here, so that the browser sends the strict session cookies.
 */
export function SignedIn({ next }: { next: string }) {
  useEffect(() => location.replace(next), [next]);
  return (
    <PublicPage title="You are signed in" description="The console opens in a moment.">
      {/* A full page load clears the previous user's data from memory. */}
      <a href={next} className="text-accent underline-offset-4 hover:underline">
        Continue to the console
      </a>
    </PublicPage>
  );
}
