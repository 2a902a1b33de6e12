import { accountPage } from '../../../features/account/pages';
import { platformScope } from '../../../server/viewer';

export const metadata = { title: 'Account' };

export default async function AccountPage() {
  const scope = await platformScope();
  // The layout says why.
  return scope.ok ? accountPage(scope.client) : null;
}
