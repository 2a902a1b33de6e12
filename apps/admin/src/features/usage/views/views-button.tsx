'use client';

import { Bookmark } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';

import { Button } from '../../../design/button';
import type { Usage } from '../use-usage';

const Views = dynamic(() => import('./views').then((module) => module.Views), { ssr: false });

/** Opens the saved views of the organisation's usage. */
export function ViewsButton({ usage }: { usage: Usage }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Bookmark aria-hidden />
        Views
      </Button>
      {open && <Views usage={usage} onClose={() => setOpen(false)} />}
    </>
  );
}
