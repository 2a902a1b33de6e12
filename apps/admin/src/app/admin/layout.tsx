import type { ReactNode } from 'react';

import { runtime } from '../../server/runtime';
import { platformScope } from '../../server/viewer';
import { FailurePage } from '../../shell/failure-page';
import { Shell } from '../../shell/shell';

export default async function PlatformLayout({ children }: { children: ReactNode }) {
  const scope = await platformScope();
  if (!scope.ok) return <FailurePage error={scope.error} />;
  return (
    <Shell
      scope={{
        me: scope.me,
        organisation: null,
        platform: true,
        ...runtime().addresses,
      }}
    >
      {children}
    </Shell>
  );
}
