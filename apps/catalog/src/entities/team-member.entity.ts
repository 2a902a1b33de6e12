import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

import { oneOf } from '../db/columns';
import { Team } from './team.entity';
import { User } from './user.entity';

export const TEAM_ROLES = ['MEMBER', 'MANAGER'] as const;
export type TeamRole = (typeof TEAM_ROLES)[number];

@Entity('team_member')
@Index(['userId'])
@ForeignKey(() => Team, ['organisationId', 'teamId'], ['organisationId', 'id'], {
  onDelete: 'CASCADE',
})
@ForeignKey(() => User, ['organisationId', 'userId'], ['organisationId', 'id'], {
  onDelete: 'CASCADE',
})
@Check('team_member_role_check', oneOf('role', TEAM_ROLES))
export class TeamMember {
  @PrimaryColumn('uuid')
  teamId!: string;

  @PrimaryColumn('uuid')
  userId!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('text', { default: 'MEMBER' })
  role!: TeamRole;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}
