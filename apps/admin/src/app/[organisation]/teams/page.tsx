import { teamsPage } from '../../../features/teams/pages';
import { organisationPage } from '../../../server/pages';

export const metadata = { title: 'Teams' };
export default organisationPage(teamsPage);
