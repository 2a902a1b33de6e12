import { usersPage } from '../../../features/users/pages';
import { organisationPage } from '../../../server/pages';

export const metadata = { title: 'Users' };
export default organisationPage(usersPage);
