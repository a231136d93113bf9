package storage

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// One that takes long holds up the others for a while only.
func TestGatherLosesPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		others := make(chan struct{})
		count := 0
		var order []int
		gather(3, 20*time.Millisecond,
			func(index int) int {
				if index == 0 {
					<-others
				}
				return index
			},
			func(index, value int) {
				if order = append(order, value); len(order) == 2 {
					close(others)
				}
			},
			func(done int) { count = done })
		if got := fmt.Sprint(order); got != "[1 2 0]" || count != 3 {
			t.Errorf("reported %s, %d done; want the two that answered first", got, count)
		}
	})
}

func TestGatherKeepsOrder(t *testing.T) {
	var order []int
	gather(50, time.Minute, func(index int) int { return index }, func(_, value int) { order = append(order, value) }, func(int) {})
	for i, value := range order {
		if i != value {
			t.Fatalf("reported %v", order)
		}
	}
	if len(order) != 50 {
		t.Errorf("%d of 50 were reported", len(order))
	}
}
