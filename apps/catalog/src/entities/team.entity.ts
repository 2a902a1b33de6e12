import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  PrimaryColumn,
  Unique,
  UpdateDateColumn,
} from 'typeorm';

import { oneOf } from '../db/columns';
import { Organisation } from './organisation.entity';

export const TEAM_STATUSES = ['ACTIVE', 'ARCHIVED'] as const;
export type TeamStatus = (typeof TEAM_STATUSES)[number];

@Entity('team')
@Unique(['organisationId', 'id'])
@Unique(['organisationId', 'name'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@Check('team_status_check', oneOf('status', TEAM_STATUSES))
export class Team {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('text')
  name!: string;

  @Column('text', { default: 'ACTIVE' })
  status!: TeamStatus;

  /** Regions in which its requests may be processed; empty: it adds no rule. */
  @Column('text', { array: true, default: [] })
  allowedRegions!: string[];

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}
