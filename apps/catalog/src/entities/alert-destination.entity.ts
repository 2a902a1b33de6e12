import { ALERT_DESTINATION_KINDS, type AlertDestinationKind } from '@tollgate/contracts';
import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  UpdateDateColumn,
} from 'typeorm';

import { oneOf } from '../db/columns';
import { LIMIT_STATUSES, type LimitStatus } from './budget.entity';
import { Organisation } from './organisation.entity';
import { RowSecret } from './row-secret';

/** Where messages of alerts go. Its secret signs a WEBHOOK, and is the URL of SLACK. */
@Entity('alert_destination')
@Index(['organisationId'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@Check('alert_destination_kind_check', oneOf('kind', ALERT_DESTINATION_KINDS))
@Check('alert_destination_status_check', oneOf('status', LIMIT_STATUSES))
export class AlertDestination extends RowSecret {
  @PrimaryColumn('uuid')
  id!: string;

  /** Null: of the platform. */
  @Column('uuid', { nullable: true })
  organisationId!: string | null;

  @Column('text')
  name!: string;

  @Column('text')
  kind!: AlertDestinationKind;

  @Column('text', { nullable: true })
  email!: string | null;

  @Column('text', { nullable: true })
  url!: string | null;

  @Column('text', { default: 'ACTIVE' })
  status!: LimitStatus;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}
