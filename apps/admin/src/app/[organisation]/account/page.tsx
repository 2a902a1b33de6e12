import { accountPage } from '../../../features/account/pages';
import { organisationScope } from '../../../server/viewer';
import { FailureInFrame } from '../../../shell/failure-page';

export const metadata = { title: 'Account' };

interface AccountProps {
  params: Promise<{ organisation: string }>;
}

export default async function AccountPage({ params }: AccountProps) {
  const scope = await organisationScope((await params).organisation);
  return scope.ok ? accountPage(scope.client) : <FailureInFrame error={scope.error} />;
}
