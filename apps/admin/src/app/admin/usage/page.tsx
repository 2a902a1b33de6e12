import { platformUsagePage } from '../../../features/usage/pages';
import { widePage } from '../../../server/pages';

export const metadata = { title: 'Usage' };
export default widePage(platformUsagePage);
