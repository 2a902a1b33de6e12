import { teamPage } from '../../../../features/teams/pages';
import { organisationPage } from '../../../../server/pages';

export const metadata = { title: 'Team' };
export default organisationPage(teamPage);
