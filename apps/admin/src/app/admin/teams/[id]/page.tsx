import { teamPage } from '../../../../features/teams/pages';
import { platformPage } from '../../../../server/pages';

export const metadata = { title: 'Team' };
export default platformPage(teamPage);
