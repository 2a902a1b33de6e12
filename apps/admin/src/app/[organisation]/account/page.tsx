import { accountPage } from '../../../features/account/pages';
import { organisationScope } from '../../../server/viewer';

export const metadata = { title: 'Account' };

interface AccountProps {
  params: Promise<{ organisation: string }>;
}

export default async function AccountPage({ params }: AccountProps) {
  const scope = await organisationScope((await params).organisation);
  // The layout shows the reason.
  return scope.ok ? accountPage(scope.client) : null;
}
