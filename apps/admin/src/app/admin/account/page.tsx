import { accountPage } from '../../../features/account/pages';
import { platformScope } from '../../../server/viewer';

export const metadata = { title: 'Account' };

export default async function AccountPage() {
  const scope = await platformScope();
  // The layout shows the reason.
  return scope.ok ? accountPage(scope.client) : null;
}
