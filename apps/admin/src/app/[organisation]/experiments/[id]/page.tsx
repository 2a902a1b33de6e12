import { experimentPage } from '../../../../features/experiments/pages';
import { organisationPage } from '../../../../server/pages';

export const metadata = { title: 'Experiment' };
export default organisationPage(experimentPage);
