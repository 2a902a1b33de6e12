import { platformSetupPage } from '../../../features/setup/pages';
import { widePage } from '../../../server/pages';

export const metadata = { title: 'Set-up guide' };
export default widePage(platformSetupPage);
