-- The clock when all locks are held: the one time that the whole batch goes by.
select belay.now_ms()
