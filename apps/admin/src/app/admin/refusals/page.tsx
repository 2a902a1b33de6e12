import { platformRefusedPage } from '../../../features/refused/pages';
import { widePage } from '../../../server/pages';

export const metadata = { title: 'Refused and failed' };
export default widePage(platformRefusedPage);
