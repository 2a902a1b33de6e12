import { accountPage } from '../../../features/account/pages';
import { platformScope } from '../../../server/viewer';
import { FailureInFrame } from '../../../shell/failure-page';

export const metadata = { title: 'Account' };

export default async function AccountPage() {
  const scope = await platformScope();
  return scope.ok ? accountPage(scope.client) : <FailureInFrame error={scope.error} />;
}
