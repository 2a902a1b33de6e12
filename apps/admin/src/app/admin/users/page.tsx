import { platformUsersPage } from '../../../features/users/pages';
import { widePage } from '../../../server/pages';

export const metadata = { title: 'Users' };
export default widePage(platformUsersPage);
