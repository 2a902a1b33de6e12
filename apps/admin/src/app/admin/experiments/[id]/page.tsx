import { experimentPage } from '../../../../features/experiments/pages';
import { platformPage } from '../../../../server/pages';

export const metadata = { title: 'Experiment' };
export default platformPage(experimentPage);
