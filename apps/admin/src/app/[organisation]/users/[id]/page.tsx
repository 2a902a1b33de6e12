import { userPage } from '../../../../features/users/pages';
import { organisationPage } from '../../../../server/pages';

export const metadata = { title: 'User' };
export default organisationPage(userPage);
