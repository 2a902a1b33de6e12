import { redirect } from 'next/navigation';

import { paths } from '../../shell/paths';

export default function PlatformHome() {
  redirect(paths.platform('dashboard'));
}
