import { teamsPage } from '../../../features/teams/pages';
import { platformPage } from '../../../server/pages';

export const metadata = { title: 'Teams' };
export default platformPage(teamsPage);
