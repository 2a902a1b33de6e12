import type { ReactNode } from 'react';

import { runtime } from '../../server/runtime';
import { organisationScope } from '../../server/viewer';
import { FailurePage } from '../../shell/failure-page';
import { Shell } from '../../shell/shell';

interface LayoutProps {
  params: Promise<{ organisation: string }>;
  children: ReactNode;
}

export default async function OrganisationLayout({ params, children }: LayoutProps) {
  const scope = await organisationScope((await params).organisation);
  if (!scope.ok) return <FailurePage error={scope.error} />;
  const { id, name, slug, timeZone } = scope.organisation;
  return (
    <Shell
      scope={{
        me: scope.me,
        organisation: { id, name, slug, timeZone },
        platform: false,
        ...runtime().addresses,
      }}
    >
      {children}
    </Shell>
  );
}
