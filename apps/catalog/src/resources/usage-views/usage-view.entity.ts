import type { rest } from '@tollgate/contracts';
import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  Unique,
  UpdateDateColumn,
} from 'typeorm';

import { Organisation } from '../../entities/organisation.entity';
import { User } from '../../entities/user.entity';

/** A saved view of usage. It goes with the user who saved it. */
@Entity('usage_view')
@Unique(['organisationId', 'userId', 'name'])
@Index(['userId'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@ForeignKey(() => User, ['userId'], ['id'], { onDelete: 'CASCADE' })
export class UsageView {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('uuid')
  userId!: string;

  @Column('text')
  name!: string;

  @Column('jsonb')
  parameters!: rest.UsageView['parameters'];

  @Column('boolean', { default: false })
  shared!: boolean;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}
