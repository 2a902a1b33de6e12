import { rest } from '@tollgate/contracts';
import { PlatformDashboard } from '../../../features/dashboard/platform-dashboard';
import { NEWEST } from '../../../features/organisations/queries';
import { withReads } from '../../../server/prefetch';
import { platformScope } from '../../../server/viewer';

export const metadata = { title: 'Platform dashboard' };

export default async function PlatformDashboardPage() {
  const scope = await platformScope();
  // The layout says why.
  if (!scope.ok) return null;
  return withReads(
    scope.client,
    (read) => [
      read(rest.listOrganisations, { query: NEWEST }),
      read(rest.listPlatformAuditEvents, { query: NEWEST }),
    ],
    <PlatformDashboard nowMs={Date.now()} />,
  );
}
