import { apiKeysPage } from '../../../features/api-keys/pages';
import { platformPage } from '../../../server/pages';

export const metadata = { title: 'API keys' };
export default platformPage(apiKeysPage);
